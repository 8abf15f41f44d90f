import type { Attack } from "./attack.js";
import { batchAttacks } from "./cases/batches.js";
import { bodyAttacks } from "./cases/bodies.js";
import { listAttacks } from "./cases/lists.js";
import { queryAttacks } from "./cases/queries.js";
import { transferAttacks } from "./cases/transfer.js";
import { webhookAttacks } from "./cases/webhooks.js";

/** All heavy routes, each sent the most that it takes. Add a case to the file of its subject, or a file here. */
export const attacks: readonly Attack[] = [...bodyAttacks, ...batchAttacks, ...listAttacks, ...queryAttacks, ...transferAttacks, ...webhookAttacks];
