drop table job_leases;
