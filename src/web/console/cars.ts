import { useCall } from './session.ts';
import type { Car } from './types.ts';

/** All cars, with what the account may see of them. */
export const useCars = () => useCall<Car[]>('/api/cars');

/** A change of the list: replaces the car of the same VIN, or adds the car. */
export function replaced(changed: Car): (cars: Car[]) => Car[] {
  return (cars) => {
    const isNew = cars.every(({ vin }) => vin !== changed.vin);
    return isNew
      ? [...cars, changed]
      : cars.map((car) => (car.vin === changed.vin ? changed : car));
  };
}
