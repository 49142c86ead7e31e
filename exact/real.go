package exact

import (
	"context"

	"dpverify/exact/interval"
)

// DeltaReal encloses δ(ε) at a real number, such as the logarithm of a rational.
func (p *Profile) DeltaReal(ctx context.Context, eps interval.Real) (interval.Interval, error) {
	return p.enclose(ctx, eps)
}
