"""The files of an identified robot.

Modules::

    result_files       all of them, as texts by name
    identified_urdf    the URDF with other inertials and friction, and nothing else changed
    identified_bodies  from the bodies of the identified model to those of the description
    written_friction   from the friction of both directions to that of a URDF
    urdf_inertial      a body as the numbers of an <inertial>
    source_elements    the elements of an XML text and their places
    source_edits       changes of an XML text
    friction_file      friction.yaml
    parameter_file     the parameter file of dynamics_node
    xacro_files        a patch and a table of values, for the source of an expanded description
    model_json         the section `model` of identification.json
"""
