import { add, constant, mul } from './quad';

/** Coefficients of an economised series. */
const TANGENT_1 = memory.data<f32>([0.999866]);
const TANGENT_3 = memory.data<f32>([-0.3302995]);
const TANGENT_5 = memory.data<f32>([0.180141]);
const TANGENT_7 = memory.data<f32>([-0.085133]);
const TANGENT_9 = memory.data<f32>([0.0208351]);

/** Arc tangent for |x| ≤ 0.8, for one car or for four, error below 2e-5. */
@inline export function arcTangent<T>(x: T): T {
  const xx = mul<T>(x, x);
  let sum = add<T>(constant<T>(TANGENT_7), mul<T>(xx, constant<T>(TANGENT_9)));
  sum = add<T>(constant<T>(TANGENT_5), mul<T>(xx, sum));
  sum = add<T>(constant<T>(TANGENT_3), mul<T>(xx, sum));
  return mul<T>(x, add<T>(constant<T>(TANGENT_1), mul<T>(xx, sum)));
}
