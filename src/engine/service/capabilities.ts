import type { Handle } from "../../ground/http/message.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { ApiVersions, Capability, Closable, CrossOrigin, Dependency, OpenCapability } from "../capability/capability.js";
import type { Host } from "../capability/host.js";
import type { Offer, Offers } from "../operation/offers.js";
import type { Route } from "../operation/route.js";
import type { RowEvents } from "../operation/write/rowEvents.js";
import type { RowHooks } from "../operation/write/rowHooks.js";

/** The capabilities of a service. Empty until `open` is called, because opening them needs an environment that is created with this object. */
export class Capabilities implements Offers {
  readonly #use: readonly Capability[];
  readonly #open = new Map<string, OpenCapability>();
  readonly #provided = new Map<string, unknown>();
  readonly #shared = new Map<string, Closable>();
  #rowEvents: RowEvents | undefined;
  #rowHooks: RowHooks | undefined;

  /** @throws {ConfigurationError} for two capabilities with the same name, and for a required capability that is not in `use` */
  constructor(use: readonly Capability[]) {
    this.#use = inOrder(use);
  }

  /** @throws {ConfigurationError} for a capability that cannot work with this service */
  open(host: Host): void {
    for (const capability of this.#use) {
      const opened = capability.open(host);
      this.#open.set(capability.name, opened);
      this.#rowHooks = opened.rowHooks ?? this.#rowHooks;
    }
    // Two capabilities may share one outbox.
    this.#rowEvents = allRowEvents([...new Set(this.#all.flatMap(({ rowEvents }) => rowEvents ?? []))]);
  }

  get<T>({ name }: Offer<T>): T | undefined {
    return (this.#open.get(name)?.offers ?? this.#provided.get(name)) as T | undefined;
  }

  /** Offers something of the service itself. */
  provide<T>({ name }: Offer<T>, value: T): void {
    this.#provided.set(name, value);
  }

  share<T extends object>({ name }: Offer<T>, make: () => T): T {
    const shared = this.#shared.get(name) ?? make();
    this.#shared.set(name, shared);
    return shared as T;
  }

  get #all(): readonly OpenCapability[] {
    return [...this.#open.values()];
  }

  /** Called with every written row; `undefined` if no capability listens. */
  get rowEvents(): RowEvents | undefined {
    return this.#rowEvents;
  }

  routesFor(resources: Host["resources"]): readonly Route[] {
    return this.#all.flatMap((each) => [...(each.routes ?? []), ...(each.routesFor?.(resources) ?? [])]);
  }

  /** @throws {ConfigurationError} for two that add versions */
  get versions(): ApiVersions | undefined {
    return this.#only("versions");
  }

  /** The routes as the capabilities adapt them. */
  adapt(routes: readonly Route[], resources: Host["resources"]): readonly Route[] {
    return routes.map((route) => this.#all.reduce((adapted, each) => each.adaptRoute?.(adapted, resources) ?? adapted, route));
  }

  /** The function that answers requests, as the capabilities wrap it. */
  wrapHandle(handle: Handle): Handle {
    return this.#all.reduceRight((inner, each) => each.wrapHandle?.(inner) ?? inner, handle);
  }

  /** @throws {ConfigurationError} for two that admit pages of other origins */
  get crossOrigin(): CrossOrigin | undefined {
    return this.#only("crossOrigin");
  }

  /** @throws {ConfigurationError} for two that count requests */
  get limitRate(): OpenCapability["limitRate"] {
    return this.#only("limitRate");
  }

  /** Those of the capability that was opened last, which run the others. */
  get rowHooks(): RowHooks | undefined {
    return this.#rowHooks;
  }

  #only<K extends "crossOrigin" | "limitRate" | "versions">(part: K): OpenCapability[K] {
    const [only, second] = this.#all.flatMap((each) => each[part] ?? []);
    if (second) throw new ConfigurationError(`"use" names two capabilities with "${part}".`);
    return only as OpenCapability[K];
  }

  /** @throws {ConfigurationError} for an option that names an operation which does not exist */
  check(routes: readonly Route[]): void {
    for (const capability of this.#all) capability.check?.(routes, this.#all);
  }

  /** Their dependencies, by name; two capabilities may use the same name. */
  get dependencies(): ReadonlyMap<string, readonly Dependency[]> {
    const dependencies = new Map<string, Dependency[]>();
    for (const [name, dependency] of this.#all.flatMap((each) => Object.entries(each.dependencies ?? {}))) {
      dependencies.set(name, [...(dependencies.get(name) ?? []), dependency]);
    }
    return dependencies;
  }

  /** Adds their members to the service. @throws {ConfigurationError} for a name that the service already has */
  addTo(service: object): void {
    for (const [name, { api = {} }] of this.#open) {
      for (const [member, value] of Object.entries(api)) {
        if (!(member in service)) Object.defineProperty(service, member, { value, enumerable: true });
        // Two capabilities may add the same function, such as "emit".
        else if (Reflect.get(service, member) !== value) {
          throw new ConfigurationError(`The capability "${name}" wants to add "${member}", which the service has already.`);
        }
      }
    }
  }

  async start(): Promise<void> {
    for (const capability of this.#all) await capability.start?.();
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all(this.#all.map(async (capability) => capability.close?.(graceMs)));
    for (const shared of this.#shared.values()) await shared.close?.();
  }

  /** Makes all of them look for work. */
  wake(): void {
    for (const capability of this.#all) capability.wake?.();
  }

  /** Stores to close last, each once. */
  get closes(): ReadonlySet<Closable> {
    return new Set(this.#all.flatMap(({ closes = [] }) => closes));
  }
}

/** Orders the capabilities as given, but each after those in its `requires` and `after`. */
function inOrder(use: readonly Capability[]): readonly Capability[] {
  const byName = new Map<string, Capability>();
  for (const capability of use) {
    if (byName.has(capability.name)) throw new ConfigurationError(`"use" names the capability "${capability.name}" twice.`);
    byName.set(capability.name, capability);
  }
  const ordered = new Set<Capability>();
  const add = (capability: Capability, path: readonly string[]): void => {
    const { name, requires = [], after = [] } = capability;
    if (path.includes(name)) throw new ConfigurationError(`Capabilities come after each other in a circle: ${[...path, name].join(", ")}.`);
    for (const required of requires) {
      if (!byName.has(required)) throw new ConfigurationError(`The capability "${name}" needs "${required}", which "use" does not name.`);
    }
    for (const earlier of [...requires, ...after]) {
      const other = byName.get(earlier);
      if (other !== undefined && !ordered.has(other)) add(other, [...path, name]);
    }
    ordered.add(capability);
  };
  for (const capability of use) if (!ordered.has(capability)) add(capability, []);
  return [...ordered];
}

function allRowEvents(all: readonly RowEvents[]): RowEvents | undefined {
  if (all.length < 2) return all[0];
  return {
    concerns: (collection) => all.some((each) => each.concerns(collection)),
    emit: all.find(({ emit }) => emit !== undefined)?.emit,
    addTypes: (types) => all.find((each) => each.addTypes !== undefined)?.addTypes?.(types),
    async join(tx, collection, writes, call) {
      for (const each of all) if (each.concerns(collection)) await each.join(tx, collection, writes, call);
    },
    observeCommit() {
      const committed = all.map((each) => each.observeCommit?.());
      return () => {
        for (const tell of committed) tell?.();
      };
    },
  };
}
