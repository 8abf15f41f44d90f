import type { Context } from "../../engine/operation/context.js";
import type { Operation } from "../../engine/operation/operation.js";
import { permit } from "../../engine/operation/permit.js";
import { answerList, selectList } from "../../engine/resource/read/answerList.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import { namedResource } from "../../engine/resource/relations/namedResource.js";
import { jsonBody } from "../../engine/resource/write/jsonBody.js";
import type { HttpResponse } from "../../ground/http/message.js";
import type { Limits } from "../../ground/limits/limits.js";
import { parseSearchBody } from "../../language/query/conditions/body.js";
import type { Faults } from "../../language/query/fault.js";
import { gateFor } from "../../language/schema/access.js";

/**
 * QUERY of a collection: the list, with its query in a body.
 *
 * @see draft-ietf-httpbis-safe-method-w-body
 */
export function queryOperation(linked: LinkedResource, limits: Limits): Operation {
  return {
    name: `${linked.name}.query`,
    method: "QUERY",
    access: { action: "list", collection: linked.name },
    answers: "list",
    body: jsonBody(limits),
    run: (context) => search(linked, context, context.body, context.permit.fields),
  };
}

/** POST to `/searches`: the same for clients and proxies without QUERY; the body names the collection. */
export function searchesOperation(resources: ReadonlyMap<string, LinkedResource>, limits: Limits): Operation {
  return {
    name: "searches.create",
    method: "POST",
    takesKey: false,
    // The body names the collection, so permission is checked below.
    access: { action: "list", collection: undefined },
    asksLater: [[...resources.keys()].map((collection) => ({ action: "list", collection }))],
    answers: "list",
    body: jsonBody(limits),
    async run(context) {
      const { environment, principal, authRequest, body } = context;
      const linked = namedResource(body, resources);
      const { collection, ...query } = body as Record<string, unknown>;
      const allowed = await permit(environment, { principal, authRequest, action: "list", collection: linked.name });
      return search(linked, { ...context, permit: allowed }, query, allowed.fields);
    },
  };
}

async function search(linked: LinkedResource, context: Context, body: unknown, fields: readonly string[] | undefined): Promise<HttpResponse> {
  const { principal, environment } = context;
  const faults: Faults = [];
  const gate = gateFor(principal, fields);
  const query = parseSearchBody(body, { table: linked.table, gate, settings: environment.lists.query, faults });
  return answerList(linked, context, {
    query,
    selection: selectList(linked, context, { query, faults, gate, fields }),
    gate,
    fields,
    cursorPlace: { pointer: "/cursor" },
    // The query has no URL.
    links: () => ({}),
    conditional: false,
  });
}
