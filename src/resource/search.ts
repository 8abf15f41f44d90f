import type { HttpResponse } from "../http/message.js";
import type { Limits } from "../limits/limits.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { permit } from "../operation/permit.js";
import { ProblemError } from "../problem/index.js";
import { parseSearchBody } from "../query/body.js";
import type { Faults } from "../query/fault.js";
import { closest } from "../query/hint.js";
import { gateFor } from "../schema/access.js";
import { isPlainObject } from "../schema/wire.js";
import { answerList } from "./answerList.js";
import { jsonBody } from "./jsonBody.js";
import type { LinkedResource } from "./link.js";

/**
 * QUERY of a collection: the list, asked for in a body.
 *
 * @see draft-ietf-httpbis-safe-method-w-body
 */
export function queryOperation(linked: LinkedResource, limits: Limits): Operation {
  return {
    name: `${linked.name}.query`,
    method: "QUERY",
    safety: "safe",
    access: { action: "list", collection: linked.name },
    body: jsonBody(limits),
    run: (context) => search(linked, context, context.body, context.permit.fields),
  };
}

/** POST to `/searches`: the same for clients and proxies that know no QUERY; the body names the collection. */
export function searchesOperation(resources: ReadonlyMap<string, LinkedResource>, limits: Limits): Operation {
  return {
    name: "searches.create",
    method: "POST",
    safety: "safe",
    // Which collection it is about stands in the body: permission is asked for below.
    access: { action: "list", collection: undefined },
    body: jsonBody(limits),
    async run(context) {
      const { environment, principal, authRequest, body } = context;
      const linked = collectionOf(body, resources);
      const { collection, ...query } = body as Record<string, unknown>;
      const allowed = await permit(environment, { principal, authRequest, action: "list", collection: linked.name });
      return search(linked, { ...context, permit: allowed }, query, allowed.fields);
    },
  };
}

function collectionOf(body: unknown, resources: ReadonlyMap<string, LinkedResource>): LinkedResource {
  const name = isPlainObject(body) ? body["collection"] : undefined;
  const linked = typeof name === "string" ? resources.get(name) : undefined;
  if (linked !== undefined) return linked;
  const near = typeof name === "string" ? closest(name, resources.keys()) : undefined;
  const got = typeof name === "string" ? `there is no "${name.slice(0, 64)}"` : "it is missing";
  const detail = `"collection" must name a collection; ${got}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  const hint = near === undefined ? {} : { hint: `did you mean "${near}"` };
  throw new ProblemError("INVALID_VALUE", detail, { errors: [{ code: "INVALID_VALUE", detail, pointer: "/collection", ...hint }] });
}

async function search(linked: LinkedResource, context: Context, body: unknown, fields: readonly string[] | undefined): Promise<HttpResponse> {
  const { principal, environment } = context;
  const faults: Faults = [];
  const gate = gateFor(principal, fields);
  const query = parseSearchBody(body, linked.table, gate, environment.lists.query, faults);
  return answerList(linked, context, {
    query,
    faults,
    gate,
    fields,
    cursorPlace: { pointer: "/cursor" },
    // What was asked for has no address.
    links: () => ({}),
    conditional: false,
  });
}
