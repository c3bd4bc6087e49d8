import { useCall } from './session.ts';
import type { Car, Customer, Dealer, PlatformState } from './types.ts';

/** All cars, with what the account may see of them. */
export const useCars = () => useCall<Car[]>('/api/cars');

/** The customers that the account may see: a dealer its own ones, an admin all. */
export const useCustomers = () => useCall<Customer[]>('/api/customers');

/** All dealers, which needs no log-in. */
export const useDealers = () => useCall<Dealer[]>('/api/dealers');

/** The state of the platform, which needs no log-in. */
export const usePlatformState = () => useCall<PlatformState>('/api/state');

/** A change of the list: replaces the car of the same VIN, or adds the car. */
export function replaced(changed: Car): (cars: Car[]) => Car[] {
  return (cars) => {
    const isNew = cars.every(({ vin }) => vin !== changed.vin);
    return isNew
      ? [...cars, changed]
      : cars.map((car) => (car.vin === changed.vin ? changed : car));
  };
}

/** The same for many cars that are all in the list. */
export function allReplaced(changed: readonly Car[]): (cars: Car[]) => Car[] {
  const byVin = new Map(changed.map((car) => [car.vin, car]));
  return (cars) => cars.map((car) => byVin.get(car.vin) ?? car);
}

/** A change of the list: the car of this VIN is gone. */
export function without(vin: string): (cars: Car[]) => Car[] {
  return (cars) => cars.filter((car) => car.vin !== vin);
}

/** `<option>`s for the dealers. */
export function dealerOptions(dealers: readonly Dealer[]) {
  return dealers.map(({ username, name, city }) => (
    <option value={username} key={username}>
      {name}, {city}
    </option>
  ));
}
