/** The thread in which the world of a page lives. */
import type { Report, Request } from '../messages.ts';
import { LivedHere } from './lived-here.ts';

/** What is used of the thread. */
declare const self: {
  onmessage: (event: { data: Request }) => void;
  postMessage(report: Report): void;
};

let lived: LivedHere | undefined;

self.onmessage = ({ data }) => {
  if (data.type === 'open') lived = new LivedHere(data, (report) => self.postMessage(report));
  else lived?.take(data);
};
