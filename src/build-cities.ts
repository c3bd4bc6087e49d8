import { buildCities } from './shard/grown-cities.ts';

buildCities();
