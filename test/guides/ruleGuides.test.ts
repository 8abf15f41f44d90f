// @slow

import { bearer } from "restwright/auth";
import { auditedRows } from "./rules/auditLog.js";
import { FakeIndex, FakeMailer, FakeProvider } from "./rules/fakes.js";
import { hashAPassword } from "./rules/hashAPassword.js";
import { mailAfterCommit } from "./rules/mailAfterCommit.js";
import { manyRows } from "./rules/manyRows.js";
import { orderTotal } from "./rules/orderTotal.js";
import { payment } from "./rules/payment.js";
import { searchIndex } from "./rules/searchIndex.js";
import { stateMachine } from "./rules/stateMachine.js";
import { type Guide, testGuide } from "./testGuide.js";

const auth = [bearer((token) => ({ id: token }))];

const guides: readonly Omit<Guide, "tokenOf">[] = [
  { page: "hash-a-password", file: "./rules/hashAPassword.ts", open: (storage) => hashAPassword(storage, auth).service },
  { page: "order-total", file: "./rules/orderTotal.ts", open: (storage) => orderTotal(storage, auth) },
  { page: "many-rows", file: "./rules/manyRows.ts", maxLines: 90, open: (storage) => manyRows(storage, auth) },
  { page: "state-machine", file: "./rules/stateMachine.ts", open: (storage) => stateMachine(storage, auth) },
  { page: "mail-after-commit", file: "./rules/mailAfterCommit.ts", open: (storage) => mailAfterCommit(storage, auth, new FakeMailer(false)) },
  { page: "payment", file: "./rules/payment.ts", open: (storage) => payment(storage, auth, new FakeProvider()) },
  { page: "audit-log", file: "./rules/auditLog.ts", open: (storage) => auditedRows(storage, auth).service },
  { page: "search-index", file: "./rules/searchIndex.ts", open: (storage) => searchIndex(storage, auth, new FakeIndex()) },
];

for (const guide of guides) testGuide({ ...guide, tokenOf: (who) => who });
