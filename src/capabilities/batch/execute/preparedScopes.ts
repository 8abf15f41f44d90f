import type { Context } from "../../../engine/operation/context.js";
import { prepareWrite, type WriteKind } from "../../../engine/operation/rules/prepareWrite.js";
import type { Scopes } from "../../../engine/operation/rules/scopes.js";
import { UnaskedRule } from "../../../engine/operation/rules/unaskedRule.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import { decodePercent } from "../../../ground/http/decodePercent.js";
import { isObject } from "../../../ground/http/isObject.js";
import { anonymous } from "../../../parts/auth/verifier.js";
import type { Suboperation } from "../plan/suboperation.js";
import type { Dispatcher } from "./dispatcher.js";

/**
 * The scopes of the operations of an atomic batch. They are asked before its transaction, because the developer's code must not run while a transaction is open.
 * A question that only a resolved reference reveals rolls the batch back, and is asked before its next attempt.
 */
export class PreparedScopes {
  readonly #context: Context;
  readonly #dispatcher: Dispatcher;
  readonly #scopes = new Map<number, Scopes>();
  readonly #unasked = new Map<number, readonly UnaskedRule[]>();

  constructor(context: Context, dispatcher: Dispatcher) {
    this.#context = context;
    this.#dispatcher = dispatcher;
  }

  /** Asks what the operation will need. @throws {ConfigurationError} for an unusable answer; what the developer's rules throw */
  async prepare(operation: Suboperation): Promise<void> {
    const { environment, principal } = this.#context;
    const found = this.#dispatcher.find(operation.method, operation.path);
    const scopes = environment.scopesOf(found?.operation?.isShared ? anonymous : principal);
    if (scopes === undefined) return;
    for (const { askOf } of this.#unasked.get(operation.index) ?? []) await askOf(scopes);
    const own = this.#collectionOf(operation);
    const parents = this.#parentsOf(found?.endpoint.route ?? "");
    for (const { name } of [...parents, ...(own === undefined ? [] : [own, ...relatedIn(own, wordsOf(operation))])])
      await scopes.ask(name, "read", "before");
    const kinds = own === undefined ? [] : kindsOf(own, found?.operation?.access?.action);
    if (own !== undefined && kinds.length > 0) await prepareWrite({ environment, scopes }, own, ...kinds);
    await found?.operation?.askRules?.({ environment, scopes });
    scopes.seal();
    this.#scopes.set(operation.index, scopes);
  }

  /** `undefined` if the service has no rules. */
  of({ index }: Suboperation): Scopes | undefined {
    return this.#scopes.get(index);
  }

  /** Whether the operation failed because of a question that has not been asked. It is asked when the operation is prepared again. */
  lacks({ index }: Suboperation, error: unknown): boolean {
    if (!(error instanceof UnaskedRule)) return false;
    this.#unasked.set(index, [...(this.#unasked.get(index) ?? []), error]);
    return true;
  }

  #collectionOf({ method, path, body }: Suboperation): LinkedResource | undefined {
    const { access } = this.#dispatcher.find(method, path)?.operation ?? {};
    // A search names its collection in the body.
    const named = access !== undefined && isObject(body) ? body["collection"] : undefined;
    return this.#resources().get(access?.collection ?? String(named));
  }

  /** The collections above the last one of a path: `/users/{id}/orders` has the parent `users`. */
  #parentsOf(route: string): readonly LinkedResource[] {
    const [, first = "", ...others] = route.split("/");
    const parents: LinkedResource[] = [];
    let above = this.#resources().get(first);
    for (const segment of others) {
      const target = above?.relations.get(segment)?.target;
      if (above === undefined || target === undefined) continue;
      parents.push(above);
      above = target;
    }
    return parents;
  }

  #resources(): ReadonlyMap<string, LinkedResource> {
    return this.#dispatcher.resources(this.#context.environment);
  }
}

function kindsOf({ resource: { clientIds, operations } }: LinkedResource, action: string | undefined): readonly WriteKind[] {
  if (action === "replace") return clientIds && operations.has("create") ? ["update", "create"] : ["update"];
  return action === "create" || action === "update" || action === "remove" ? [action] : [];
}

/** The words of the query, or of a query in the body. Relations that it follows are among them. */
function wordsOf({ method, query, body }: Suboperation): ReadonlySet<string> {
  const inBody = method === "QUERY" || method === "POST" ? JSON.stringify(body ?? null) : "";
  return new Set(`${decodePercent(query) ?? query} ${inBody}`.split(/[^\p{L}\p{N}_$]+/u));
}

function relatedIn(linked: LinkedResource, words: ReadonlySet<string>, found = new Set<LinkedResource>()): ReadonlySet<LinkedResource> {
  for (const { name, target } of linked.relations.values()) {
    if (!words.has(name) || found.has(target)) continue;
    found.add(target);
    relatedIn(target, words, found);
  }
  return found;
}
