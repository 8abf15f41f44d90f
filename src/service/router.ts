import type { Method, Operation } from "../operation/operation.js";

/** What stands at a path: its operations by method. */
export interface Endpoint {
  readonly operations: ReadonlyMap<Method, Operation>;
  /** Value of `Allow`. */
  readonly allow: string;
  /** Whether nobody is asked for credentials here. */
  readonly isOpen: boolean;
  /** Whether an operation of these answers by a header of its own. */
  readonly varies: boolean;
  /** Further headers of an OPTIONS answer. */
  readonly optionsHeaders: Readonly<Record<string, string>>;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a slash behind the path is let through. */
  readonly allowsSlash: boolean;
}

/** An endpoint and the raw segments that stood for its variables. */
export interface Match {
  readonly endpoint: Endpoint;
  readonly params: readonly string[];
}

interface Node {
  readonly literals: Map<string, Node>;
  variable?: Node;
  endpoint?: Endpoint;
}

/** A route: `["users", null]` is `/users/{id}`. */
export interface Route {
  readonly segments: readonly (string | null)[];
  readonly operations: readonly Operation[];
  readonly optionsHeaders?: Readonly<Record<string, string>> | undefined;
  /** Headers of every answer, whatever it is. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A slash behind the path is let through. */
  readonly allowsSlash?: true | undefined;
}

const emptyNode = (): Node => ({ literals: new Map() });

/** Finds the endpoint of a path. A literal wins over a variable; a path of nobody's is `undefined`. */
export class Router {
  readonly #root = emptyNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      let node = this.#root;
      for (const segment of route.segments) node = segment === null ? variableOf(node) : literalOf(node, segment);
      node.endpoint = endpointOf(route);
    }
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
      const literal: Node | undefined = node.literals.get(segment.includes("%") ? decodeLeniently(segment) : segment);
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

function endpointOf({ operations, optionsHeaders = {}, headers = {}, allowsSlash }: Route): Endpoint {
  const byMethod = new Map(operations.map((operation) => [operation.method, operation]));
  const methods = [...byMethod.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return {
    operations: byMethod,
    isOpen: operations.every(({ access }) => access === undefined),
    varies: operations.some(({ vary }) => vary !== undefined),
    allow: [...methods, "OPTIONS"].join(", "),
    optionsHeaders,
    headers,
    allowsSlash: allowsSlash === true,
  };
}

/** A segment that is not even valid percent-encoding names no literal; whether it is a fault is for the endpoint to say. */
function decodeLeniently(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
