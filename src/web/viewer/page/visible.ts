/**
 * Repeats a task while the page is visible, `ms` after its last end, and at once when the page
 * becomes visible again.
 */
export function whileVisible(ms: number, task: () => Promise<void>): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  const run = async () => {
    if (isRunning || document.hidden) return;
    isRunning = true;
    clearTimeout(timer);
    await task();
    isRunning = false;
    timer = setTimeout(run, ms);
  };
  document.addEventListener('visibilitychange', run);
  void run();
}
