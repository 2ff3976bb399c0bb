-- M100: seconds are the least for locks; MariaDB ends any statement after a time, MySQL one that reads.
set session innodb_lock_wait_timeout = 1, lock_wait_timeout = 1
  /*M! , max_statement_time = {timeout_ms} / 1000 */ /*!50708 , max_execution_time = {timeout_ms} */
