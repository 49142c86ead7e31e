package exact

import (
	"context"

	"dpverify/exact/interval"
)

// DeltaReal encloses δ(ε) at a real number, such as the logarithm of a rational.
func (p *Profile) DeltaReal(ctx context.Context, eps interval.Real) (interval.Interval, error) {
	y, err := p.enclose(p.question.limit(ctx), eps)
	near, _ := eps(64).Decimal(20)
	return y, p.reproducible(err, "delta --epsilon="+near)
}
