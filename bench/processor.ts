/**
 * Processor time that some work takes on this thread, ms: whatever else the machine does, but in steps
 * of up to 4 ms, so it is for work of 100 ms and more.
 */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
