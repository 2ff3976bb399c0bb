// Name and text of every profile, in the order in which they are listed: the names of engines stay in this folder.
&[
    ("postgresql", include_str!("postgresql.fio")),
    ("oracle", include_str!("oracle.fio")),
    ("innodb", include_str!("innodb.fio")),
    ("sqlite", include_str!("sqlite.fio")),
]
