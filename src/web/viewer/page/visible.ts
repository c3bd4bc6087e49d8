/**
 * Does something again and again while the page is seen, each time so long after the last one ended,
 * and at once when the page is seen again. What it returns ends that.
 */
export function whileVisible(ms: number, task: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isEnded = false;
  const run = async () => {
    if (isRunning || isEnded || document.hidden) return;
    isRunning = true;
    clearTimeout(timer);
    await task();
    isRunning = false;
    if (!isEnded) timer = setTimeout(run, ms);
  };
  document.addEventListener('visibilitychange', run);
  void run();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', run);
  };
}
