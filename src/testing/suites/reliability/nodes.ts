import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { NodeParts } from '../../../node.ts';
import { startTestNode, type TestNode } from '../../rigs/node.ts';
import { type NodeProcess, startNodeProcess } from '../../rigs/process.ts';

/** Nodes that end, with their folders, when the test does, however that ends. */
export interface Nodes {
  /** A new folder. */
  dir(): string;
  inProcess(settings?: Record<string, string>, parts?: NodeParts): Promise<TestNode>;
  ownProcess(settings: Record<string, string>): Promise<NodeProcess>;
}

/** To be called once in a test file. */
export function useNodes(): Nodes {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return {
    dir() {
      const dir = mkdtempSync(join(tmpdir(), 'twin-reliability-'));
      ends.push(async () => rmSync(dir, { recursive: true, force: true }));
      return dir;
    },
    async inProcess(settings, parts) {
      const node = await startTestNode(settings, parts);
      ends.push(() => node.discard());
      return node;
    },
    async ownProcess(settings) {
      const node = await startNodeProcess(settings);
      ends.push(() => node.end('SIGKILL'));
      return node;
    },
  };
}
