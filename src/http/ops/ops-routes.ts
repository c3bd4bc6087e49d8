import type { Metrics } from '../../metrics.ts';
import { ok, type Reply, text } from '../server/reply.ts';
import type { Call, Route } from '../server/router.ts';

/**
 * Liveness, readiness and metrics, for a private port.
 * @param trouble why the node does not serve requests; undefined if it does
 */
export function opsRoutes(metrics: Metrics, trouble: () => string | undefined): Route[] {
  const get = (path: string, summary: string, handle: (call: Call) => Reply | Promise<Reply>) => ({
    method: 'GET' as const,
    path,
    operationId: path.slice(1),
    summary,
    tag: 'operations',
    auth: 'none' as const,
    answers: { 200: { description: summary } },
    errors: [],
    handle,
  });
  return [
    get('/healthz', 'The process is alive', () => ok({ status: 'ok' }, 'json')),
    get('/readyz', 'The node serves requests', () => {
      const reason = trouble();
      if (reason === undefined) return ok({ status: 'ready' }, 'json');
      return { ...ok({ status: 'not ready', reason }, 'json'), status: 503 };
    }),
    get('/metrics', 'Metrics for Prometheus', async () =>
      text(200, await metrics.text(), metrics.contentType),
    ),
  ];
}
