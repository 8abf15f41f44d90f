import type { Context } from "../../../engine/operation/context.js";
import { asProblem } from "../../../engine/operation/faults/asProblem.js";
import { reportFault } from "../../../engine/operation/faults/reportFault.js";
import { type Operation, parsesQuery } from "../../../engine/operation/operation.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { selectType } from "../../../language/negotiation/accept.js";
import type { Faults } from "../../../language/query/fault.js";
import { gateFor } from "../../../language/schema/access.js";
import { contentDisposition } from "../../../parts/blobs/disposition.js";
import { noActiveContent } from "../../../parts/blobs/noActiveContent.js";
import { formatOfType } from "../formats/transferFormat.js";
import { answerStream } from "./answerStream.js";
import { exportEncoder } from "./exportEncoder.js";
import { planExport } from "./exportPlan.js";
import { exportRows } from "./exportRows.js";
import type { OpenExports } from "./openExports.js";
import { parseExportQuery } from "./parseExportQuery.js";
import { readRows } from "./readRows.js";

const types = ["text/csv", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/json"] as const;

/** GET of all rows of a list as a file, streamed while the rows are read. @param open the exports that are streamed already */
export function exportOperation(linked: LinkedResource, open: OpenExports): Operation {
  return {
    name: `${linked.name}.export`,
    method: "GET",
    // A stream cannot be a result in a batch.
    standsAlone: true,
    vary: "Accept",
    access: { action: "list", collection: linked.name },
    readQuery: parsesQuery,
    run: (context) => exportNow(linked, open, context),
  };
}

async function exportNow(linked: LinkedResource, open: OpenExports, context: Context): Promise<HttpResponse> {
  const { environment, request, headers, permit, principal, requestId } = context;
  const { limits, lists, timers } = environment;
  // A client that accepts none of the types gets the first one.
  const type = selectType(headers.get("accept"), types) ?? types[0];
  const acceptedFormat = formatOfType(type) ?? "csv";
  const faults: Faults = [];
  const gate = gateFor(principal, permit.fields);
  const parsed = parseExportQuery(request.query, acceptedFormat, { table: linked.table, gate, settings: lists.query, faults });
  const plan = await planExport(linked, context, parsed, faults);
  const encoder = exportEncoder(plan);
  // NDJSON has several media types: the response has the one that the client asked for.
  const usesAcceptedType = acceptedFormat === "ndjson" && plan.options.format === acceptedFormat;
  const answer = {
    status: 200,
    headers: {
      "content-type": usesAcceptedType ? type : encoder.contentType,
      "content-disposition": contentDisposition("attachment", `${linked.name}.${encoder.extension}`),
      ...noActiveContent,
      "cache-control": "no-store",
    },
  };
  if (request.method === "HEAD") return { ...answer, body: null };
  const pieces = endingWith(open.begin(context), exportRows({ rows: readRows(context, plan), encoder }));
  const failed = (error: unknown) => {
    const problem = asProblem(error);
    // A client that disconnects is not a fault of the service.
    if (problem.status >= 500 && !request.signal.aborted) reportFault(environment, problem, error, request, requestId);
  };
  return { ...answer, body: await answerStream(pieces, { timers, maxMs: limits.exportMs, failed }) };
}

async function* endingWith<Piece>(end: () => void, pieces: AsyncGenerator<Piece, void, void>): AsyncGenerator<Piece, void, void> {
  try {
    yield* pieces;
  } finally {
    end();
  }
}
