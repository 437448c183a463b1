module example.org/mediasdk

go 1.19
