import { ConfigurationError } from "../../ground/problem/index.js";
import { addTo } from "../../ground/storage/addTo.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Environment } from "../operation/environment.js";
import type { Reference, References } from "../operation/references/references.js";
import { idMembers } from "../resource/read/identify.js";
import { foreignKeyOf } from "../resource/relations/foreignKey.js";
import type { BelongsTo } from "../resource/relations/relation.js";
import type { Resource } from "../resource/resource.js";
import { regenerate, stamp } from "../resource/write/rowValues.js";
import type { ServiceOptions } from "./options.js";

/** What patches of rows are stamped with. */
type Stamps = Pick<Environment, "clock" | "ids">;

/**
 * Returns the foreign keys that the service enforces: all if the storage can enforce them, except for relations with `enforce: false`.
 *
 * @throws {ConfigurationError} for a relation that must be enforced if the storage cannot enforce it
 */
export function referencesOf({ resources, storage }: Pick<ServiceOptions, "resources" | "storage">, stamps: Stamps): References {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const heldBy = new Map<string, Reference[]>();
  const unenforced = new Map<string, Reference[]>();
  const leadingTo = new Map<string, Reference[]>();
  for (const resource of resources) {
    for (const [name, relation] of resource.relations) {
      const target = byName.get(relation.collection);
      if (relation.kind !== "belongsTo" || target === undefined) continue;
      const reference = referenceOf(resource, relation, target, stamps);
      if (relation.enforce !== false && canEnforce(storage, resource) && canEnforce(storage, target)) {
        addTo(heldBy, resource.name, reference);
        addTo(leadingTo, target.name, reference);
      } else if (relation.enforce || relation.onDelete !== undefined) {
        const why = `the storage "${storage.name}" has no transactions with shared locks (\`can.sharedLocks\`)`;
        throw new ConfigurationError(
          `${resource.name}: the relation "${name}" cannot be enforced: ${why}. Leave "enforce" and "onDelete" out, or use another storage.`,
        );
      } else if (target.options.scope !== undefined) addTo(unenforced, resource.name, reference);
    }
  }
  return { heldBy, unenforced, leadingTo };
}

function canEnforce(storage: Storage, { model }: Resource): boolean {
  return storage.transaction !== undefined && storage.collection(model).can.sharedLocks === true;
}

function referenceOf(resource: Resource, { foreignKey, onDelete = "restrict" }: BelongsTo, target: Resource, { clock, ids }: Stamps): Reference {
  const key = foreignKeyOf(foreignKey, target.idNames);
  return {
    ...key,
    namesOneOf: (named) => key.namesOneOf(named.map((id) => idMembers(target, id))),
    holder: resource.model,
    target: target.model,
    onDelete,
    clear() {
      const now = new Date(clock.now());
      return { ...Object.fromEntries(key.fields.map((field) => [field, null])), ...regenerate(resource, now), ...stamp({ ids }, now) };
    },
  };
}
