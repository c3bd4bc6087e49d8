/** What nobody sees at first: a chunk of its own, which comes after the first cars. */
export { CarPanel } from './car.tsx';
export { Help } from './help.tsx';
export { IncidentPanel } from './incident.tsx';
export { NewCity } from './new-city.tsx';
export { WhatIfPanel } from './what-if.tsx';
