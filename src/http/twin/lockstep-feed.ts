import type { ClusterService } from '../../cluster-service.ts';
import type { TwinService } from '../../twin-service.ts';
import { type LockstepFanout, newsOf } from './lockstep-fanout.ts';
import type { LockstepHellos } from './lockstep-hello.ts';

interface Feed {
  fanout: LockstepFanout;
  hellos: LockstepHellos;
  service: Pick<TwinService, 'onLockstep'>;
  /** Undefined: this node serves all worlds. */
  cluster: Pick<ClusterService, 'relays'> | undefined;
}

/** Those who live a world hear of it alike, whichever node serves it. */
export function feedLockstep({ fanout, hellos, service, cluster }: Feed): void {
  service.onLockstep(({ number }, message) => {
    const news = newsOf(message);
    cluster?.relays.tell(number, news);
    fanout.tell(number, news);
  });
  cluster?.relays.onNews(fanout);
  cluster?.relays.onHello((world, known) => hellos.of(world, known));
}
