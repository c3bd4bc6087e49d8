import { add, constant, mul } from './quad';

// Sine and cosine by Taylor series, for one car or for four. An f32 has an error of 6e-8 itself.

const ONE = memory.data<f32>([1.0]);
const SINE_3 = memory.data<f32>([-0.16666666666666666]);
const SINE_5 = memory.data<f32>([0.008333333333333333]);
const SINE_7 = memory.data<f32>([-0.0001984126984126984]);
const COSINE_2 = memory.data<f32>([-0.5]);
const COSINE_4 = memory.data<f32>([0.041666666666666664]);
const COSINE_6 = memory.data<f32>([-0.001388888888888889]);
const COSINE_8 = memory.data<f32>([0.0000248015873015873]);

/** Sine for |x| ≤ 0.7 rad: error below 2e-7. */
@inline export function sine<T>(x: T): T {
  const xx = mul<T>(x, x);
  let sum = add<T>(constant<T>(SINE_5), mul<T>(xx, constant<T>(SINE_7)));
  sum = add<T>(constant<T>(SINE_3), mul<T>(xx, sum));
  return mul<T>(x, add<T>(constant<T>(ONE), mul<T>(xx, sum)));
}

/** Cosine for |x| ≤ 0.7 rad: error below 2e-8. */
@inline export function cosine<T>(x: T): T {
  const xx = mul<T>(x, x);
  let sum = add<T>(constant<T>(COSINE_6), mul<T>(xx, constant<T>(COSINE_8)));
  sum = add<T>(constant<T>(COSINE_4), mul<T>(xx, sum));
  sum = add<T>(constant<T>(COSINE_2), mul<T>(xx, sum));
  return add<T>(constant<T>(ONE), mul<T>(xx, sum));
}
