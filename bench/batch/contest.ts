import { feathersName } from "../peers/feathers.js";
import type { Entrant } from "../tools/entrant.js";
import type { Race } from "../tools/race.js";
import type { Comparison, Heat } from "../tools/raceReport.js";
import { stores } from "../tools/serverOptions.js";
import { type Kind, kinds } from "./creations.js";

/** What is measured together: the servers of a store, or `executeBatch` by itself. */
export const contests = [...stores, "executor"] as const;

export type Contest = (typeof contests)[number];

/** In terms of one item that is created by the other side, or by a request of its own. */
const bars = { byHand: 1.2, peer: 1, single: 0.1 };

/** The name of a server's figures. */
export function labelOf({ name }: Pick<Entrant, "name">, kind: Kind): string {
  return `${name} ${kind}`;
}

/** Batches are taken against single requests to the same server, and the first server against every other. */
export function contestHeat(title: string, entrants: readonly Entrant[], figures: Race): Heat {
  const [own, ...others] = entrants;
  const batches = kinds.filter((kind) => kind !== "single");
  const within = entrants.flatMap((entrant) =>
    batches.map(
      (kind): Comparison => ({ one: labelOf(entrant, kind), other: labelOf(entrant, "single"), bar: entrant === own ? bars.single : undefined }),
    ),
  );
  const between = others.flatMap((other) =>
    own === undefined
      ? []
      : batches.map(
          (kind): Comparison => ({
            one: labelOf(own, kind),
            other: labelOf(other, kind),
            bar: other.name === feathersName ? bars.peer : bars.byHand,
          }),
        ),
  );
  return { title, figures, comparisons: [...within, ...between] };
}
