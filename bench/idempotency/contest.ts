import type { Entrant } from "../tools/entrant.js";
import type { Race } from "../tools/race.js";
import type { Comparison, Heat } from "../tools/raceReport.js";
import { type Kind, kinds } from "./posts.js";

/** What is measured together: a store under Fastify each, or the servers on Express, whose records are in memory. */
export const contests = ["memory", "sqlite", "postgres", "redis", "express"] as const;

export type Contest = (typeof contests)[number];

const titles: Record<Contest, string> = {
  memory: "fastify, memory",
  sqlite: "fastify, sqlite",
  postgres: "fastify, postgres",
  redis: "fastify, rows in postgres, records in redis",
  express: "express, memory",
};

const bars = { first: 1.4, replay: 0.7 };

/** The name of a server's figures. */
export function labelOf({ name }: Pick<Entrant, "name">, kind: Kind): string {
  return `${name} ${kind}`;
}

/** Keys are taken against the plain POST of the same server, and the first server against every other. */
export function contestHeat(contest: Contest, entrants: readonly Entrant[], figures: Race): Heat {
  const [own, ...others] = entrants;
  const keyed = kinds.filter((kind) => kind !== "plain");
  const within = entrants.flatMap((entrant) =>
    keyed.map((kind): Comparison => ({ one: labelOf(entrant, kind), other: labelOf(entrant, "plain"), bar: bars[kind] })),
  );
  const between = others.flatMap((other) =>
    own === undefined ? [] : keyed.map((kind): Comparison => ({ one: labelOf(own, kind), other: labelOf(other, kind), bar: 1 })),
  );
  return { title: titles[contest], figures, comparisons: [...within, ...between] };
}
