import type { Reference } from "../../engine/description/components.js";
import { describeRows } from "../../engine/description/describeRows.js";
import type { DescribeOperation, Describing } from "../../engine/description/describing.js";
import { jsonOf } from "../../engine/description/media.js";
import { answered, arrayOf, instant, text } from "../../engine/description/schemas/object.js";
import { listedSchema, rowSchema } from "../../engine/description/schemas/rowSchemas.js";
import type { DescribedAnswer, DescribedParameter, JsonSchema, OperationDescription } from "../../engine/operation/description.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import { eventStreamType } from "../../ground/http/serverSentEvent.js";

const after: DescribedParameter = {
  name: "after",
  text: "Events: goes on after this position, the `id` of an event. The header Last-Event-ID has precedence.",
  schema: text,
};

const changedAfter: DescribedParameter = {
  name: "changedAfter",
  text: "Answers with a page of changes after this position, in place of rows. Empty: with the position to begin at; read the list then.",
  schema: text,
};

const ticket: OperationDescription = {
  summary: "Create a ticket",
  text: "For `EventSource`, which sends no headers: as `?ticket=` it is the credentials of one event stream, once, within a minute.",
  answers: [{ status: 201, text: "The ticket.", bodies: [jsonOf(answered({ ticket: text, expiresAt: instant }))] }],
  codes: ["NOT_SUPPORTED"],
};

/** The lists and rows that can be followed: what describes their rows, with events and pages of changes. */
export const describeLive: DescribeOperation = (describing, operation, linked) => {
  if (operation.name === "live.createTicket") return ticket;
  if (linked === undefined || operation.answerTypes?.includes(eventStreamType) !== true) return undefined;
  const described = describeRows(describing, operation, linked);
  if (described === undefined) return undefined;
  const isRow = operation.name.endsWith(".read");
  return {
    ...described,
    query: [...(described.query ?? []), after, changedAfter],
    headers: [...(described.headers ?? []), { name: "Last-Event-ID", text: "Events: goes on after this position.", schema: text }],
    answers: described.answers.map((answer) => (answer.status === 200 ? withChanges(describing, linked, answer, isRow) : answer)),
    codes: [
      ...(described.codes ?? []),
      ...[
        "INVALID_POSITION",
        "POSITION_EXPIRED",
        "TOO_MANY_STREAMS",
        "NO_STREAM_LEFT",
        "CONFLICTING_PARAMETERS",
        "REPEATED_PARAMETER",
        "NOT_SUPPORTED",
      ],
    ],
  };
};

function withChanges(describing: Describing, linked: LinkedResource, answer: DescribedAnswer, isRow: boolean): DescribedAnswer {
  const row = isRow ? rowSchema(describing, linked) : listedSchema(describing, linked);
  const [json, ...others] = answer.bodies ?? [];
  if (json?.schema === undefined) return answer;
  return {
    ...answer,
    headers: [...(answer.headers ?? []), "X-Accel-Buffering"],
    bodies: [{ ...json, schema: { anyOf: [json.schema, changesOf(describing, linked, row)] } }, ...others],
  };
}

/** A page of changes: the same for the list and for a row if both have the same view. */
function changesOf(describing: Describing, linked: LinkedResource, row: Reference): JsonSchema {
  const isListed = row.$ref === listedSchema(describing, linked).$ref;
  const name = `${describing.names.of(linked.name)}${isListed ? "Changes" : "RowChanges"}`;
  return { ...describing.components.ref("schemas", name, () => changesSchema({ ...row })) };
}

function changesSchema(row: JsonSchema): JsonSchema {
  const id = { anyOf: [{ type: ["string", "integer"] }, arrayOf({ type: ["string", "integer"] })] };
  const change = (kind: JsonSchema, members: Readonly<Record<string, JsonSchema>>) => answered({ kind, id, ...members });
  return answered({
    data: arrayOf({
      anyOf: [
        change({ enum: ["created", "changed"] }, { version: text, row }),
        change({ const: "removed" }, { version: text }),
        change({ const: "left" }, {}),
      ],
    }),
    meta: answered({ position: text, hasMore: { type: "boolean" } }),
  });
}
