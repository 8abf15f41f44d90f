import { decodePercent } from "../../ground/http/decodePercent.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Method, Operation } from "../operation/operation.js";
import type { Route } from "../operation/route.js";

/** The endpoint of a path: its operations by method. */
export interface Endpoint {
  /** The path below the mount with `{id}` for each variable segment: `/users/{id}`. */
  readonly route: string;
  readonly operations: ReadonlyMap<Method, Operation>;
  /** Value of `Allow`. */
  readonly allow: string;
  /** Whether no operation needs credentials. */
  readonly isOpen: boolean;
  /** Whether the answer of an operation depends on a request header that it names in `vary`. */
  readonly varies: boolean;
  /** Further headers of an OPTIONS answer. */
  readonly optionsHeaders: Readonly<Record<string, string>>;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limited: Route["limited"];
  /** Whether the path may end with an additional slash. */
  readonly allowsSlash: boolean;
}

/** An endpoint and the raw values of its variable segments. */
export interface Match {
  readonly endpoint: Endpoint;
  readonly params: readonly string[];
}

interface Node {
  readonly literals: Map<string, Node>;
  variable?: Node;
  endpoint?: Endpoint;
}

const emptyNode = (): Node => ({ literals: new Map() });

/** Finds the endpoint of a path; `undefined` for an unknown path. A literal segment takes precedence over a variable one. */
export class Router {
  readonly routes: readonly Route[];
  readonly #root = emptyNode();

  /**
   * @param routes several routes may have the same path: its endpoint then has the operations of all
   * @throws {ConfigurationError} for two operations with the same path and method
   */
  constructor(routes: readonly Route[]) {
    this.routes = routes;
    for (const route of routes) {
      let node = this.#root;
      for (const segment of route.segments) node = segment === null ? variableOf(node) : literalOf(node, segment);
      node.endpoint = endpointOf(route, node.endpoint);
    }
  }

  /** The literal segments below `/{first}/`, as the keys of a map. No path leads to a variable segment of the same text. */
  literalsBelow(first: string): ReadonlyMap<string, unknown> {
    return this.#root.literals.get(first)?.literals ?? new Map();
  }

  /** @param path Below the mount, still percent-encoded. */
  match(path: string): Match | undefined {
    if (path.charCodeAt(0) !== 47) return undefined;
    const params: string[] = [];
    let node: Node | undefined = this.#root;
    for (let start = 1; start <= path.length; ) {
      const slash = path.indexOf("/", start);
      const end = slash === -1 ? path.length : slash;
      const segment = path.slice(start, end);
      const literal: Node | undefined = node.literals.get(segment.includes("%") ? (decodePercent(segment) ?? segment) : segment);
      if (literal === undefined) {
        if (segment === "" && slash === -1 && start > 1 && node.endpoint?.allowsSlash === true) return { endpoint: node.endpoint, params };
        if (node.variable === undefined || segment === "") return undefined;
        params.push(segment);
      }
      node = literal ?? node.variable;
      if (node === undefined) return undefined;
      start = end + 1;
      if (slash !== -1 && start > path.length) return undefined;
    }
    return node.endpoint && { endpoint: node.endpoint, params };
  }
}

function literalOf(node: Node, segment: string): Node {
  const next = node.literals.get(segment) ?? emptyNode();
  node.literals.set(segment, next);
  return next;
}

function variableOf(node: Node): Node {
  node.variable ??= emptyNode();
  return node.variable;
}

function endpointOf({ segments, operations, optionsHeaders = {}, headers = {}, limited, allowsSlash }: Route, known: Endpoint | undefined): Endpoint {
  const byMethod = new Map(known?.operations);
  const route = segments.map((segment) => `/${segment ?? "{id}"}`).join("");
  for (const operation of operations) {
    const other = byMethod.get(operation.method);
    if (other !== undefined) {
      throw new ConfigurationError(`Both "${other.name}" and "${operation.name}" want ${operation.method} ${route}.`);
    }
    byMethod.set(operation.method, operation);
  }
  const methods = [...byMethod.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const all = [...byMethod.values()];
  return {
    route,
    operations: byMethod,
    isOpen: all.every(({ access }) => access === undefined),
    varies: all.some(({ vary }) => vary !== undefined),
    allow: [...methods, "OPTIONS"].join(", "),
    optionsHeaders: { ...known?.optionsHeaders, ...optionsHeaders },
    headers: { ...known?.headers, ...headers },
    limited: limited ?? known?.limited,
    allowsSlash: allowsSlash === true || known?.allowsSlash === true,
  };
}
