import type { OperationDescription } from "../operation/description.js";
import type { DescribeOperation } from "./describing.js";
import { jsonOf } from "./media.js";
import { answered } from "./schemas/object.js";

/** The operations of the service itself. */
export const describeService: DescribeOperation = (_describing, { name }) => descriptions[name];

const descriptions: Readonly<Record<string, OperationDescription>> = {
  health: {
    summary: "Whether the service runs",
    answers: [{ status: 200, text: "The state of the service.", bodies: [jsonOf(answered({ status: { enum: ["ok", "closing"] } }))] }],
  },
  ready: {
    summary: "Whether the service can answer requests",
    answers: [{ status: 200, text: "It can.", bodies: [jsonOf(answered({ ready: { const: true } }))] }],
    codes: ["STORAGE_UNAVAILABLE"],
  },
};
