import { type Request, Router } from "express";
import type pg from "pg";

/** Who sends a request, as the application has always found out. */
interface User {
  readonly id: string;
  readonly teamIds: readonly number[];
}

/** The user of a token; `undefined` for an unknown token. */
export async function userOf(pool: pg.Pool, token: string): Promise<User | undefined> {
  const { rows } = await pool.query(
    `select u.id, coalesce(array_agg(m.team_id) filter (where m.team_id is not null), '{}') as teams
     from users u left join memberships m on m.user_id = u.id where u.api_token = $1 and u.deleted_at is null group by u.id`,
    [token],
  );
  return rows[0] && { id: String(rows[0].id), teamIds: rows[0].teams.map(Number) };
}

/** The routes that the application had before. They stay as they are, behind `requirePrincipal`: who sends the request is in `request.principal`. */
export function routes(pool: pg.Pool): Router {
  const router = Router();

  router.get("/teams/:id/balance", async ({ params, principal }, response) => {
    if (!teamsOf(principal).includes(Number(params.id))) return void response.sendStatus(404);
    const { rows } = await pool.query(
      `select count(*)::int as invoices, coalesce(sum(total) filter (where paid_at is null), 0)::float8 as open
       from invoices where team_id = $1 and deleted_at is null`,
      [params.id],
    );
    response.json(rows[0]);
  });

  router.post("/invoices/:id/pay", async ({ params, principal }, response) => {
    const { rowCount } = await pool.query(
      "update invoices set paid_at = now(), lock_version = lock_version + 1 where id = $1 and team_id = any($2) and paid_at is null and deleted_at is null",
      [params.id, teamsOf(principal)],
    );
    response.sendStatus(rowCount === 1 ? 204 : 409);
  });

  return router;
}

function teamsOf(principal: Request["principal"]): readonly number[] {
  return (principal?.claims?.["teamIds"] ?? []) as readonly number[];
}
