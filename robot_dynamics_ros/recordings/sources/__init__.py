"""Where joint states come from: bags of ROS 2 and ROS 1, MCAP and CSV files.

Modules::

    state_rows            what a source gives: states with the same names, as arrays
    open_source           the source of some files, by what they are
    storage_files         the files of a bag, in order, decompressed
    bag_source            joint states of bags and bare storage files, through rosbags
    mcap_blocks           messages of an MCAP file, many at a time, in one buffer
    message_block         serialized messages in one buffer
    joint_state_decoder   serialized joint states to arrays: views at verified offsets
    decoded_states        joint states that rosbags decodes one by one
    fixed_layout          where stamp and values stand in messages that agree in all else
    csv_source            joint states of CSV files
    csv_columns           what their columns hold
    storage_readers       readers of one storage file, by rosbags
    bounded_expansion     decompression with limits
"""
