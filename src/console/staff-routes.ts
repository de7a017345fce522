import type { TObject } from 'typebox';
import type { Definition } from '../staff/definition.ts';
import type { StaffDeps } from '../staff/deps.ts';
import { answerOf, countsAsChange, httpRoutesOf, partsOf, Streamed } from '../staff/http.ts';
import type { Viewer as StaffViewer } from '../staff/viewer.ts';
import { permissionsOf } from '../parties/people/permissions.ts';
import type { Cursors } from '../platform/http/cursors.ts';
import { Live } from './route.ts';
import type { AnyRoute, Viewer } from './route.ts';

/** The definitions of `src/staff` as routes of the console. */
export function staffRoutes(
  definitions: readonly Definition[],
  { deps, cursors }: { readonly deps: StaffDeps; readonly cursors: Cursors },
): AnyRoute[] {
  return httpRoutesOf(definitions).map((http): AnyRoute => {
    const { of, method, path } = http;
    const { permission, kind, name } = of;
    const { params, query, body } = partsOf(of);
    return {
      ...{ method, path, permission, params, isDefined: true },
      ...(query !== undefined && { query }),
      ...(body !== undefined && { body }),
      ...(kind === 'action' && { action: name }),
      ...(of.file !== undefined && { bodyBytes: of.file.maxBytes }),
      ...(kind !== 'action' && method === 'POST' && { isReading: true as const }),
      ...(of.ownVendor !== true && { isForStaff: true as const }),
      ...(kind === 'stream' && { isLive: true as const }),
      ...(countsAsChange(http) && { countsAsChange: true as const }),
      handle: async (input, context, request) => {
        const { viewer, address, requestId, isClosed } = context;
        const by = { viewer: staffViewer(viewer), deps, address, requestId, isClosed };
        const asked = of.file === undefined ? input : { ...input, body: request.body };
        const answer = await answerOf(http, asked, { ...by, channel: 'console' }, cursors);
        return answer instanceof Streamed
          ? new Live((send) => answer.live.subscribe(send))
          : answer;
      },
    } satisfies AnyRoute & { readonly params: TObject };
  });
}

function staffViewer({ personId, login, role, vendor, isConfirmed }: Viewer): StaffViewer {
  const permissions = new Set(isConfirmed ? permissionsOf(role) : []);
  return {
    personId,
    login,
    role,
    vendor,
    permissions,
    token: null,
    actor: { personId, name: login },
  };
}
