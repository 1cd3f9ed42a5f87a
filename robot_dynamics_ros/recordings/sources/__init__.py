"""Where joint states come from: bags of ROS 2 and ROS 1, MCAP and CSV files.

Modules::

    source                what a source gives: states with the same names, as arrays
    open_source           the source of some files, and its topic
    bag_source            joint states of bags and bare storage files, through rosbags
    storage_files         the files of a bag: their order, decompressed, and their readers
    message_blocks        serialized messages, many at a time, in one buffer
    joint_state_decoder   serialized joint states to arrays: views at verified offsets
    csv_source            joint states of CSV files
    bounded_expansion     decompression with limits
"""
