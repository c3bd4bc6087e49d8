import { add, constant, mul, ONE } from './pair';

// Sine, cosine and arc tangent by short series, for one car or for two.

/** Coefficients of Taylor series. */
const SINE_3 = memory.data<f64>([-0.16666666666666666]);
const SINE_5 = memory.data<f64>([0.008333333333333333]);
const SINE_7 = memory.data<f64>([-0.0001984126984126984]);
const COSINE_2 = memory.data<f64>([-0.5]);
const COSINE_4 = memory.data<f64>([0.041666666666666664]);
const COSINE_6 = memory.data<f64>([-0.001388888888888889]);
const COSINE_8 = memory.data<f64>([0.0000248015873015873]);
/** Of an economised series. */
const TANGENT_1 = memory.data<f64>([0.999866]);
const TANGENT_3 = memory.data<f64>([-0.3302995]);
const TANGENT_5 = memory.data<f64>([0.180141]);
const TANGENT_7 = memory.data<f64>([-0.085133]);
const TANGENT_9 = memory.data<f64>([0.0208351]);

/** Sine for |x| ≤ 0.7 rad: Taylor series, error below 2e-7. */
@inline export function sine<T>(x: T): T {
  const xx = mul<T>(x, x);
  let sum = add<T>(constant<T>(SINE_5), mul<T>(xx, constant<T>(SINE_7)));
  sum = add<T>(constant<T>(SINE_3), mul<T>(xx, sum));
  return mul<T>(x, add<T>(constant<T>(ONE), mul<T>(xx, sum)));
}

/** Cosine for |x| ≤ 0.7 rad: Taylor series, error below 2e-8. */
@inline export function cosine<T>(x: T): T {
  const xx = mul<T>(x, x);
  let sum = add<T>(constant<T>(COSINE_6), mul<T>(xx, constant<T>(COSINE_8)));
  sum = add<T>(constant<T>(COSINE_4), mul<T>(xx, sum));
  sum = add<T>(constant<T>(COSINE_2), mul<T>(xx, sum));
  return add<T>(constant<T>(ONE), mul<T>(xx, sum));
}

/** Arc tangent for |x| ≤ 0.8: economised series, error below 2e-5. */
@inline export function arcTangent<T>(x: T): T {
  const xx = mul<T>(x, x);
  let sum = add<T>(constant<T>(TANGENT_7), mul<T>(xx, constant<T>(TANGENT_9)));
  sum = add<T>(constant<T>(TANGENT_5), mul<T>(xx, sum));
  sum = add<T>(constant<T>(TANGENT_3), mul<T>(xx, sum));
  return mul<T>(x, add<T>(constant<T>(TANGENT_1), mul<T>(xx, sum)));
}
