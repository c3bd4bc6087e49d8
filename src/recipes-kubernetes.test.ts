import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { systemRandom } from './random.ts';
import {
  documentsOf,
  imageSettings,
  recipeFiles,
  type Settings,
  settingNames,
  settingsOf,
} from './testing/rigs/recipes.ts';

interface Named {
  kind: string;
  metadata: { name: string };
}

interface Port {
  name: string;
  port: number;
  targetPort?: string;
}

interface Service extends Named {
  spec: { selector: Settings; ports: Port[]; publishNotReadyAddresses?: boolean; type?: string };
}

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: { name: string; key: string } };
}

interface Probe {
  httpGet: { path: string; port: string };
}

interface Container {
  image: string;
  ports: { name: string; containerPort: number }[];
  envFrom: { configMapRef: { name: string } }[];
  env: Variable[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  lifecycle: { preStop: { sleep: { seconds: number } } };
}

interface StatefulSet extends Named {
  spec: {
    serviceName: string;
    replicas: number;
    selector: { matchLabels: Settings };
    template: {
      metadata: { labels: Settings };
      spec: {
        terminationGracePeriodSeconds: number;
        enableServiceLinks: boolean;
        containers: [Container];
      };
    };
  };
}

interface Rule {
  from?: object[];
  ports: { port: string }[];
}

interface NetworkPolicy extends Named {
  spec: { podSelector: { matchLabels: Settings }; ingress: Rule[] };
}

interface Budget extends Named {
  spec: { selector: { matchLabels: Settings }; maxUnavailable: number };
}

interface Kustomization {
  resources: string[];
  configMapGenerator: { name: string; literals: string[] }[];
  images: { name: string; newTag: string }[];
}

const FOLDER = 'kubernetes';
const KUSTOMIZATION = 'kustomization.yaml';
/** A node ends at once after this time; src/recipes.test.ts compares it with the process. */
const STOP_S = 20;

const kustomization = documentsOf(`${FOLDER}/${KUSTOMIZATION}`)[0] as Kustomization;
const objects = kustomization.resources.flatMap((file) =>
  documentsOf(`${FOLDER}/${file}`),
) as Named[];

function the<T extends Named>(kind: string, name = 'driving-twin'): T {
  const found = objects.filter((each) => each.kind === kind && each.metadata.name === name);
  expect(found).toHaveLength(1);
  return found[0] as T;
}

const set = the<StatefulSet>('StatefulSet');
const pod = set.spec.template.spec;
const [container] = pod.containers;
const { labels } = set.spec.template.metadata;
const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]));
const configured = settingsOf(kustomization.configMapGenerator[0]?.literals ?? []);

/** The settings of the first pod, as the kubelet makes them. */
function settingsOfPod(): Settings {
  const known: Settings = { POD_NAME: 'driving-twin-0', POD_NAMESPACE: 'demo', SHARDS: '2' };
  const given: Settings = {
    REDIS_URL: 'redis://:secret@redis.example:6379/0',
    ADMIN_PASSWORD: 'a long password',
    FIELD_KEY: Buffer.alloc(32).toString('base64'),
  };
  const made: Settings = {};
  for (const { name, value, valueFrom } of container.env) {
    const key = valueFrom?.secretKeyRef?.key;
    const text = value ?? (key === undefined ? known[name] : given[key]) ?? '';
    // Only variables that stand above are filled in.
    made[name] = text.replace(/\$\((\w+)\)/g, (whole, other) => made[other] ?? whole);
  }
  return { ...imageSettings(), ...configured, ...made };
}

describe('the manifests for Kubernetes', () => {
  it('are all in the kustomization', () => {
    const files = recipeFiles().filter((name) => name.startsWith(`${FOLDER}/`));
    expect(files.map((name) => name.slice(FOLDER.length + 1)).toSorted()).toEqual(
      [...kustomization.resources, KUSTOMIZATION].toSorted(),
    );
  });

  it('set only what a node reads, beside the names of the pod', () => {
    const known = settingNames();
    const names = [...container.env.map(({ name }) => name), ...Object.keys(configured)];
    expect(names.filter((name) => !known.has(name))).toEqual(['POD_NAME', 'POD_NAMESPACE']);
  });

  it('give each pod settings that a node accepts, and a link of its own', () => {
    const config = readConfig(settingsOfPod(), systemRandom);
    const linkPort = ports.get('link');
    expect(config).toMatchObject({ nodeName: 'driving-twin-0', shards: 2, demo: { demo: false } });
    expect(config.link).toEqual({
      host: '0.0.0.0',
      port: linkPort,
      url: `ws://driving-twin-0.${set.spec.serviceName}.demo.svc:${linkPort}`,
    });
    expect([config.twinPort, config.dealerPort, config.opsPort]).toEqual(
      ['twin', 'dealer', 'ops'].map((name) => ports.get(name)),
    );
  });

  it('let no service set a variable of a node', () => {
    expect(pod.enableServiceLinks).toBe(false);
  });

  it('refer to what exists', () => {
    expect(labels).toEqual(set.spec.selector.matchLabels);
    const others = [
      the<Service>('Service').spec.selector,
      the<Service>('Service', set.spec.serviceName).spec.selector,
      the<Budget>('PodDisruptionBudget').spec.selector.matchLabels,
      the<NetworkPolicy>('NetworkPolicy').spec.podSelector.matchLabels,
    ];
    for (const selector of others) expect(selector).toEqual(labels);
    const [map] = kustomization.configMapGenerator;
    expect(container.envFrom.map(({ configMapRef }) => configMapRef.name)).toEqual([map?.name]);
    const secrets = container.env.flatMap(({ name, valueFrom }) =>
      valueFrom?.secretKeyRef ? [[name, valueFrom.secretKeyRef.key]] : [],
    );
    expect(secrets.length).toBe(3);
    for (const [name, key] of secrets) expect(key).toBe(name);
  });

  it('name ports of the pod, with their numbers', () => {
    const services = [the<Service>('Service'), the<Service>('Service', set.spec.serviceName)];
    for (const { port, targetPort = '' } of services.flatMap(({ spec }) => spec.ports)) {
      expect(ports.get(targetPort)).toBe(port);
    }
    const allowed = the<NetworkPolicy>('NetworkPolicy').spec.ingress.flatMap((rule) => rule.ports);
    expect(allowed.map(({ port }) => port).toSorted()).toEqual([...ports.keys()].toSorted());
  });

  it('keep the link and the private port inside', () => {
    const exposed = the<Service>('Service').spec.ports.map(({ name }) => name);
    expect(exposed).toEqual(['twin', 'dealer']);
    const open = the<NetworkPolicy>('NetworkPolicy').spec.ingress.filter(({ from }) => !from);
    expect(open.flatMap((rule) => rule.ports.map(({ port }) => port))).toEqual(exposed);
  });

  it('let nodes find each other before they are ready', () => {
    expect(the<Service>('Service', set.spec.serviceName).spec.publishNotReadyAddresses).toBe(true);
  });

  it('probe the private port, and restart no node that waits for Redis', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const probes = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
    expect(probes.map(({ path }) => path)).toEqual(['/healthz', '/healthz', '/readyz']);
    expect(new Set(probes.map(({ port }) => port))).toEqual(new Set(['ops']));
  });

  it('wait longer for the end of a pod than its node takes', () => {
    const { seconds } = container.lifecycle.preStop.sleep;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(seconds + STOP_S);
  });

  it('take one node away at a time, of three', () => {
    expect(set.spec.replicas).toBe(3);
    expect(the<Budget>('PodDisruptionBudget').spec.maxUnavailable).toBe(1);
  });

  it('name an exact version of the image', () => {
    const [image] = kustomization.images;
    expect(container.image).toBe(`${image?.name}:${image?.newTag}`);
    expect(image?.newTag).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
