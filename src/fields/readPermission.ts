import type { Gate, GuardedField, Permission } from "../schema/access.js";

/** Whether a field may be shown. A field that hides itself stays hidden where `authorize` narrows the request, too. */
export function readPermission(field: GuardedField, gate: Gate): Permission {
  const permission = gate(field, "read");
  return permission === "forbidden" && field.access?.onForbidden === "hide" ? "hidden" : permission;
}
