import { contentDisposition } from "../blobs/disposition.js";
import type { HttpResponse } from "../http/message.js";
import { selectType } from "../negotiation/accept.js";
import { asProblem } from "../operation/asProblem.js";
import type { Context } from "../operation/context.js";
import type { Operation } from "../operation/operation.js";
import { reportFault } from "../operation/reportFault.js";
import type { Faults } from "../query/fault.js";
import type { LinkedResource } from "../resource/link.js";
import { gateFor } from "../schema/access.js";
import { answerStream } from "./answerStream.js";
import { exportEncoder } from "./exportEncoder.js";
import { planExport } from "./exportPlan.js";
import { exportRows } from "./exportRows.js";
import { formatOfType } from "./formats/transferFormat.js";
import { parseExportQuery } from "./parseExportQuery.js";
import { readRows } from "./readRows.js";

const types = ["text/csv", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/json"] as const;

/** GET of all rows of a list as a file, written while it is read. */
export function exportOperation(linked: LinkedResource): Operation {
  return {
    name: `${linked.name}.export`,
    method: "GET",
    safety: "safe",
    // A stream is no result of a batch.
    standsAlone: true,
    vary: "Accept",
    access: { action: "list", collection: linked.name },
    run: (context) => exportNow(linked, context),
  };
}

async function exportNow(linked: LinkedResource, context: Context): Promise<HttpResponse> {
  const { environment, request, headers, permit, principal, requestId } = context;
  const { limits, lists, timers } = environment;
  // What takes none of them is answered by the first.
  const type = selectType(headers.get("accept"), types) ?? types[0];
  const liked = formatOfType(type) ?? "csv";
  const faults: Faults = [];
  const gate = gateFor(principal, permit.fields);
  const asked = parseExportQuery(request.query, liked, linked.table, gate, lists.query, faults);
  const plan = await planExport(linked, context, asked, faults);
  const encoder = await exportEncoder(plan);
  // NDJSON has several names: who asks by one of them is answered by it.
  const isNamed = liked === "ndjson" && plan.options.format === liked;
  const answer = {
    status: 200,
    headers: {
      "content-type": isNamed ? type : encoder.contentType,
      "content-disposition": contentDisposition("attachment", `${linked.name}.${encoder.extension}`),
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  };
  if (request.method === "HEAD") return { ...answer, body: null };
  const pieces = exportRows({ rows: readRows(context, plan), encoder });
  const failed = (error: unknown) => {
    const problem = asProblem(error);
    // The end of a client that has gone is no fault of anybody's.
    if (problem.status >= 500 && !request.signal.aborted) reportFault(environment, problem, error, request, requestId);
  };
  return { ...answer, body: await answerStream(pieces, { timers, stallMs: limits.exportStallMs, failed }) };
}
