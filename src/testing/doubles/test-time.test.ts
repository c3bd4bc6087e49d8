import { describe, expect, it } from 'vitest';
import { TestTime } from './test-time.ts';

describe('standing time', () => {
  it('passes only when a test moves it', async () => {
    const time = TestTime.standing(1_000);
    const before = time.now();
    expect(time.wallMs()).toBe(1_000);
    await time.advance(250);
    expect(time.now() - before).toBeCloseTo(250, 6);
    expect(time.wallMs()).toBe(1_250);
  });

  it('fires timers in order of their due time, repeated ones again and again', async () => {
    const time = TestTime.standing();
    const fired: string[] = [];
    time.after(30, () => fired.push('after 30'));
    time.every(20, () => fired.push('every 20'));
    time.after(10, () => fired.push('after 10'));
    await time.advance(45);
    expect(fired).toEqual(['after 10', 'every 20', 'after 30', 'every 20']);
  });

  it('leaves out what was stopped, also by a task that fires before', async () => {
    const time = TestTime.standing();
    const fired: string[] = [];
    const stop = time.after(20, () => fired.push('stopped'));
    time.after(10, stop);
    await time.advance(50);
    expect(fired).toEqual([]);
  });

  it('lets a sleeper go on before later timers fire', async () => {
    const time = TestTime.standing();
    const order: string[] = [];
    const sleeper = time.sleep(10).then(() => order.push('woken'));
    time.after(20, () => order.push('timer'));
    await time.advance(20);
    await sleeper;
    expect(order).toEqual(['woken', 'timer']);
  });
});

describe('running time', () => {
  it('passes by itself, and a stretch of it can be skipped', async () => {
    const time = TestTime.running();
    await time.sleep(1);
    let isOver = false;
    const hour = time.sleep(3_600_000).then(() => {
      isOver = true;
    });
    await time.advance(3_599_000);
    expect(isOver).toBe(false);
    await time.advance(1_000);
    await hour;
    expect(isOver).toBe(true);
  });

  it('fires a repeated timer once for all the time that it jumps over', async () => {
    const time = TestTime.running();
    let count = 0;
    time.every(1_000, () => count++);
    await time.jump(3_600_000);
    expect(count).toBe(1);
    await time.advance(1_000);
    expect(count).toBe(2);
  });
});
