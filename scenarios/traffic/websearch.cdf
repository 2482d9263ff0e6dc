# Flow sizes of a web search cluster: bytes, and how many per cent of flows are not longer.
# Measured by Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010; these points are the ones
# that simulations of congestion control have used since (Li et al., "HPCC", SIGCOMM 2019).
0 0
10000 15
20000 20
30000 30
50000 40
80000 53
200000 60
1000000 70
2000000 80
5000000 90
10000000 97
30000000 100
