import '../common/base.css';
import '../common/widgets.css';
import './cluster.css';
import type {
  ClusterStatus,
  NodeStatus,
  PartitionStatus,
  WorldPlace,
} from '../../cluster-operator.ts';
import { RequestError, request } from '../common/request.ts';
import { confirmed } from './confirmation.ts';
import { byId, setNote, setText } from './dom.ts';
import { showMoves } from './moves-view.ts';
import { NodeNames } from './names.ts';
import { NodesView } from './nodes-view.ts';
import { PartitionMap } from './partition-map.ts';

const EVERY_MS = 2000;

const names = new NodeNames();
const nodes = new NodesView(byId('nodes', HTMLElement), names, askToDrain);
const map = new PartitionMap(byId('partitions', HTMLElement), names, askToMove);
const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
let status: ClusterStatus | undefined;
/** The world whose node is shown; empty: none. */
let sought = '';

// ── looking ─────────────────────────────────────────────────────────────────────────────────────

async function refresh(): Promise<void> {
  try {
    status = await request<ClusterStatus>('/cluster');
    show(status);
    say('trouble', '');
    if (sought !== '') await find(sought);
  } catch (error) {
    const since = status && ` What is shown is of ${time.format(new Date(status.at))}.`;
    say('trouble', `${messageOf(error)}${since ?? ''}`);
  }
}

/** A page that nobody sees asks nothing. */
async function refreshForEver(): Promise<void> {
  if (document.visibilityState === 'visible') await refresh();
  setTimeout(refreshForEver, EVERY_MS);
}

function show(of: ClusterStatus): void {
  const isAlone = of.store === 'embedded';
  names.show(of);
  setText(byId('about', HTMLElement), aboutOf(of));
  nodes.show(of.nodes, isAlone);
  setText(byId('bars', HTMLElement), map.show(of.partitions));
  showMoves(byId('moves', HTMLElement), of.moves, names);
  const none = isAlone ? 'Nothing can move: there is no other node.' : 'Nothing has moved since.';
  const some = `The last ${of.moves.length} that this node has seen, newest first.`;
  setText(byId('moves-about', HTMLElement), of.moves.length === 0 ? none : some);
}

function aboutOf({ store, nodes: all, process, at }: ClusterStatus): string {
  const seen = time.format(new Date(at));
  if (store === 'embedded') {
    return `${names.of(process)} has the embedded store for itself: it is alone, and holds everything. ${seen}`;
  }
  const count = all.length === 1 ? 'One node' : `${all.length} nodes`;
  return `${count} on one Redis, as ${names.of(process)} sees them. ${seen}`;
}

// ── doing ───────────────────────────────────────────────────────────────────────────────────────

async function askToDrain({ name, process, draining, partitions }: NodeStatus): Promise<void> {
  const answer = await confirmed(
    draining
      ? {
          title: `End the drain of ${name}?`,
          text: 'It takes partitions again. Each stays where it is for a minute after it has moved.',
          action: 'End the drain',
        }
      : {
          title: `Drain ${name}?`,
          text: `It gives its ${partitions} partitions with their worlds to the other nodes, and takes none until the drain is ended. Streams stay open. It goes on receiving requests.`,
          action: 'Drain',
          isGrave: true,
        },
  );
  if (answer === undefined) return;
  const done = draining ? `${name} takes partitions again.` : `${name} drains.`;
  await act(draining ? '/cluster/undrain' : '/cluster/drain', { node: process }, done);
}

async function askToMove(partition: PartitionStatus): Promise<void> {
  const holder = names.of(partition.holder);
  const others = status?.nodes.filter(({ is_this, draining }) => !is_this && !draining) ?? [];
  const isHere = partition.holder === status?.process;
  const isMovable = isHere && others.length > 0;
  const to = await confirmed({
    title: `Partition ${partition.partition}`,
    text: [textOf(partition), isMovable ? MOVING : obstacleTo(isHere, holder)].join(' '),
    action: isMovable ? 'Move' : undefined,
    choices: isMovable
      ? others.map(({ process, name }) => ({ value: process, label: name }))
      : undefined,
  });
  if (to === undefined) return;
  const done = `Partition ${partition.partition} is at ${names.of(to)}.`;
  await act('/cluster/move', { partition: partition.partition, to }, done);
}

const MOVING =
  'A move takes its worlds along, and streams stay open. It stays there for a minute; after that the nodes may even out their numbers.';

function obstacleTo(isHere: boolean, holder: string): string {
  if (status?.store === 'embedded') return 'It cannot move: there is no other node.';
  if (isHere) return 'It cannot move: no other node takes partitions.';
  return holder === '–'
    ? 'It cannot be moved now.'
    : `Only its holder can give it: open this page at the private port of ${holder}.`;
}

function textOf({ holder, epoch, worlds, hot_worlds }: PartitionStatus): string {
  const where = holder === null ? 'Nobody holds it.' : `Held by ${names.of(holder)}`;
  if (holder === null) return where;
  const grant = epoch === null ? '.' : ` under epoch ${epoch}.`;
  if (worlds === null) return `${where}${grant} Its load is not known here.`;
  const total = status?.partitions.reduce((sum, each) => sum + (each.hot_worlds ?? 0), 0) ?? 0;
  const share = total > 0 ? ` (${Math.round((100 * (hot_worlds ?? 0)) / total)} % of all)` : '';
  return `${where}${grant} Worlds: ${worlds}; watched: ${hot_worlds ?? 0}${share}.`;
}

async function act(path: string, body: unknown, done: string): Promise<void> {
  say('said', '');
  try {
    await request(path, { method: 'POST', body });
    say('said', done);
  } catch (error) {
    say('said', messageOf(error), 'bad');
  }
  await refresh();
}

async function find(id: string): Promise<void> {
  const found = byId('found', HTMLElement);
  sought = id;
  try {
    const place = await request<WorldPlace>(`/cluster/world/${encodeURIComponent(id)}`);
    if (id !== sought) return;
    setText(found, foundAt(place));
    map.mark(place.partition);
  } catch (error) {
    if (id !== sought) return;
    // The same id would get the same answer.
    if (error instanceof RequestError && error.status === 404) sought = '';
    setText(found, messageOf(error));
    map.mark(undefined);
  }
}

function foundAt({ world, partition, node, served }: WorldPlace): string {
  const where = node === null ? 'which nobody holds now' : `which ${node} holds`;
  const how = served ? '' : ' This node cannot reach it.';
  return `${world} belongs to partition ${partition}, ${where}.${how}`;
}

function messageOf(error: unknown): string {
  if (!(error instanceof RequestError)) throw error;
  return error.status === 0 ? 'The node does not answer.' : error.message;
}

function say(where: 'trouble' | 'said', text: string, kind: 'good' | 'bad' = 'good'): void {
  setNote(byId(where, HTMLElement), text, where === 'trouble' ? 'bad' : kind);
}

byId('finder', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  void find(byId('world', HTMLInputElement).value.trim());
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void refresh();
});
void refreshForEver();
