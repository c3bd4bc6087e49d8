import { type Resource, useResource } from '../common/resource.ts';
import { call, session } from './session.ts';
import type { Car } from './types.ts';

/** All cars, with what whoever is logged in may see of them. */
export function useCars(): Resource<Car[]> {
  return useResource((signal) => call<Car[]>('/api/cars', { signal }), [session.value?.token]);
}

/** What puts a car that has changed into its place in the list. */
export function replaced(changed: Car): (cars: Car[]) => Car[] {
  return (cars) => {
    const isNew = cars.every(({ vin }) => vin !== changed.vin);
    return isNew
      ? [...cars, changed]
      : cars.map((car) => (car.vin === changed.vin ? changed : car));
  };
}
