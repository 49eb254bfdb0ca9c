tb/sbi_pmu/hdl/sbi_pmu_tb.sv
