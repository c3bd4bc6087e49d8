import { buildCities } from './shard/cities.ts';

buildCities();
