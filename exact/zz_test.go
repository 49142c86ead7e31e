package exact
import ("testing";"context";"fmt";"os";"math/big";"dpverify/mechanism";"syscall")
func cpu() float64 { var r syscall.Rusage; syscall.Getrusage(0,&r); return float64(r.Utime.Sec)+float64(r.Utime.Usec)/1e6 }
func TestZ(t *testing.T){
 ev,err:=mechanism.DecodeEvent([]byte(os.Getenv("EV"))); if err!=nil{t.Fatal(err)}
 d,_:=new(big.Rat).SetString(os.Getenv("DELTA"))
 for e:=Effort(0);e<=6;e++{
  c:=cpu()
  r,err:=Epsilon(context.Background(),Question{Event:ev},d,50,e)
  if err!=nil{t.Fatal(err)}
  lo:=r.Lo(); hi:=r.Hi(); l,_:=lo.Float64(); h,_:=hi.Float64()
  fmt.Printf("effort %d [%.10f %.10f] rel %.2e cpu %.2f %v\n",e,l,h,(h-l)/h,cpu()-c,r.Methods)
 }
}
