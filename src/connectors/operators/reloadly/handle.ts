/** The data kept about an attempt. */
export interface Handle {
  /** Reloadly's number of the network, looked up for this recipient; null: it is configured. */
  readonly networkId: string | null;
  /** FAILED, or an error: it becomes proof some time after it was first seen. */
  readonly refused: Refused | null;
}

export interface Refused {
  readonly code: string;
  readonly firstSeenMs: number;
}

const NOTHING: Handle = { networkId: null, refused: null };
const PATTERN = /^(\d{0,10})(?:;([A-Z_]{1,60})@(\d{1,15}))?$/;

export function formatHandle({ networkId, refused }: Handle): string {
  const network = networkId ?? '';
  return refused === null ? network : `${network};${refused.code}@${refused.firstSeenMs}`;
}

export function parseHandle(text: string | null): Handle {
  const match = PATTERN.exec(text ?? '');
  if (match === null) return NOTHING;
  const [, networkId = '', code, firstSeenMs] = match;
  return {
    networkId: networkId === '' ? null : networkId,
    refused: code === undefined ? null : { code, firstSeenMs: Number(firstSeenMs) },
  };
}
