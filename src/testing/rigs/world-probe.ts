import { C_ROUTE_INDEX } from '../../../assembly/layout.ts';
import type { SlabArrays } from '../../kernel/slab-arrays.ts';
import type { Course } from './course.ts';
import type { DrivingTally } from './driving-tally.ts';
import { SlabView } from './kernel.ts';

/** Reads one world directly in kernel memory and adds what it finds to a tally. */
export abstract class WorldProbe extends SlabView {
  protected readonly course: Course;
  protected readonly tally: DrivingTally;
  protected readonly name: string;

  constructor(slab: SlabArrays, course: Course, tally: DrivingTally, name: string) {
    super(slab);
    this.course = course;
    this.tally = tally;
    this.name = name;
  }

  protected where(tick: number, car: number): string {
    return `${this.name} tick ${tick} car ${car}`;
  }

  /** The lane that follows on a car's route, −1 if the car has no route. */
  protected nextLane(car: number): number {
    const route = this.course.city.routes[car] ?? [];
    return route[(this.i32(C_ROUTE_INDEX, car) + 1) % route.length] ?? -1;
  }
}
