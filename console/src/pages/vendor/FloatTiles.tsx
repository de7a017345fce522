import { useLingui } from '@lingui/react/macro';
import type { VendorView } from '../../../../src/staff/vendor-view.ts';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { useFigures } from '../../format/figures.ts';
import { Money } from '../../format/Money.tsx';
import { readableMoney } from '../../format/money.ts';

/** A vendor's money and what it paid today. */
export function FloatTiles({ vendor }: { readonly vendor: VendorView }) {
  const { t } = useLingui();
  const { count, duration } = useFigures();
  const { today, low, hours_left: hoursLeft } = vendor;
  const limit = low === null ? t`no limit set` : t`notified below KES ${readableMoney(low)}`;
  return (
    <Tiles>
      <Tile
        label={t`Float`}
        value={<Money amount={vendor.float} currency />}
        note={hoursLeft === null ? limit : t`lasts ${duration(hoursLeft * 3600)}, ${limit}`}
        tone={vendor.float_state === 'low' ? 'waiting' : undefined}
      />
      <Tile
        label={t`Collected income`}
        value={<Money amount={vendor.collected} currency />}
        note={t`not in the float yet`}
      />
      <Tile
        label={t`Reserved`}
        value={<Money amount={vendor.reserved} currency />}
        note={t`for payments without a result`}
      />
      <Tile
        label={t`Volume today`}
        value={<Money amount={today.amount} currency />}
        note={t`payments: ${count(today.count)}, failed: ${count(today.failed)}`}
      />
    </Tiles>
  );
}
